import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { TermsChangeRecord } from './terms-change.entity.js';
import { TermsHistoryService } from './terms-history.service.js';

/** Reads the record of changes of terms and keys. */
@Module({
  imports: [TypeOrmModule.forFeature([TermsChangeRecord])],
  providers: [TermsHistoryService],
  exports: [TermsHistoryService],
})
export class AuditModule {}
