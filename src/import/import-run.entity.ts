import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PriceChanges } from '../guard/price-tally.js';
import type { FileSummary, TableSummary } from './import-summary.js';

/** The record of one import, as `import log` shows it. A dry run leaves none. */
@Entity('import_runs')
export class ImportRun {
  @PrimaryColumn({ type: 'varchar', length: 36 })
  ID!: string;

  @Column({ type: 'datetime', precision: 3 })
  StartedAt!: Date;

  /** Null: the import is running, or was killed. */
  @Column({ type: 'datetime', precision: 3, nullable: true })
  EndedAt!: Date | null;

  /** Account and host of the command. */
  @Column({ type: 'varchar', length: 255 })
  StartedBy!: string;

  @Column({ type: 'varchar', length: 16 })
  Mode!: 'upsert' | 'replace';

  /** Null: the import has not ended. */
  @Column({ type: 'varchar', length: 16, nullable: true })
  Outcome!: 'imported' | 'refused' | 'failed' | null;

  /** Why the import wrote nothing; null if it succeeded. */
  @Column({ type: 'text', nullable: true })
  Message!: string | null;

  @Column({ type: 'simple-json', nullable: true })
  Files!: FileSummary[] | null;

  @Column({ type: 'simple-json', nullable: true })
  Tables!: TableSummary[] | null;

  /** How the import changed prices, or would have changed them; null: unknown, or no file has prices. */
  @Column({ type: 'simple-json', nullable: true })
  PriceChanges!: PriceChanges | null;
}
