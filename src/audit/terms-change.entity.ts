import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The record of one change of a customer's terms, of a price list, or of an API key. */
@Entity('terms_changes')
export class TermsChangeRecord {
  @PrimaryGeneratedColumn()
  ID!: number;

  @Column({ type: 'datetime', precision: 3 })
  ChangedAt!: Date;

  @Column({ type: 'varchar', length: 16 })
  Subject!: 'customer' | 'price_list' | 'api_key';

  /** The Customer Code, or the code of the price list. */
  @Column({ type: 'varchar', length: 64 })
  Code!: string;

  /** Null: the subject was added. */
  @Column({ type: 'simple-json', nullable: true })
  OldValues!: Record<string, unknown> | null;

  /** Null: the subject was removed. */
  @Column({ type: 'simple-json', nullable: true })
  NewValues!: Record<string, unknown> | null;

  /** The database account; null on the embedded database, which has no accounts. */
  @Column({ type: 'varchar', length: 255, nullable: true })
  DatabaseAccount!: string | null;

  /** Account and host of the command. */
  @Column({ type: 'varchar', length: 255 })
  ChangedBy!: string;

  /** The import that made the change; null: a command made it. */
  @Column({ type: 'varchar', length: 36, nullable: true })
  ImportID!: string | null;
}
