import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from './database.service.js';
import { databaseOptions } from './database-url.js';
import { SnapshotService } from './snapshot.service.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      // Modules are built before the database is reached; DatabaseService connects later and keeps trying.
      useFactory: (settings: Settings) => ({
        ...databaseOptions(settings),
        autoLoadEntities: true,
        manualInitialization: true,
      }),
    }),
  ],
  providers: [DatabaseService, SnapshotService],
  exports: [DatabaseService, SnapshotService],
})
export class DatabaseModule {}
