import { Entity } from 'typeorm';
import { Stored } from '../resource/field.decorator.js';

/** A place that holds stock, assigned to customers. */
@Entity('warehouses')
export class Warehouse {
  @Stored({ type: 'varchar', length: 64, primary: true })
  WarehouseCode!: string;

  @Stored({ type: 'varchar', length: 255 })
  WarehouseName!: string | null;
}
