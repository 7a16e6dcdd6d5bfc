import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An API key of a customer. Only its digest is stored. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryGeneratedColumn()
  ID!: number;

  @Column({ type: 'varchar', length: 64 })
  CustomerCode!: string;

  @Column({ type: 'varchar', length: 255, nullable: true })
  Label!: string | null;

  /** SHA-256 of the key, in lower-case hex. */
  @Column({ type: 'varchar', length: 64 })
  Digest!: string;

  @Column({ type: 'datetime', precision: 3 })
  CreatedAt!: Date;

  /** The service refuses the key from this time on. Null: the key never expires. */
  @Column({ type: 'datetime', precision: 3, nullable: true })
  ExpiresAt!: Date | null;

  @Column({ type: 'datetime', precision: 3, nullable: true })
  RevokedAt!: Date | null;
}
