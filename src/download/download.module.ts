import { Module } from '@nestjs/common';
import { CustomersModule } from '../customers/customers.module.js';
import { DownloadService } from './download.service.js';

/** Sends answers of any length, each from one snapshot of the database. */
@Module({ imports: [CustomersModule], providers: [DownloadService], exports: [DownloadService] })
export class DownloadModule {}
