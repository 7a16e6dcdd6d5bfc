import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One API key of a customer, of which only the digest is kept. */
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

  /** From this moment on the key is refused. */
  @Column({ type: 'datetime', precision: 3, nullable: true })
  ExpiresAt!: Date | null;

  @Column({ type: 'datetime', precision: 3, nullable: true })
  RevokedAt!: Date | null;
}
