import { Entity } from 'typeorm';
import { HiddenField } from '../resource/field.decorator.js';

/** A warehouse, which is assigned to customers. */
@Entity('warehouses')
export class Warehouse {
  @HiddenField({ type: 'varchar', length: 64, primary: true })
  WarehouseCode!: string;

  @HiddenField({ type: 'varchar', length: 255 })
  WarehouseName!: string | null;
}
