import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { DatabaseService } from './database.service.js';
import { ENGINE } from './engine.js';
import { engineOf } from './engine-factory.js';

@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [SETTINGS],
      // The modules are built before the database is available. DatabaseService connects later and retries.
      useFactory: (settings: Settings) => ({
        ...engineOf(settings).options,
        autoLoadEntities: true,
        manualInitialization: true,
      }),
    }),
  ],
  providers: [DatabaseService, { provide: ENGINE, inject: [SETTINGS], useFactory: engineOf }],
  exports: [DatabaseService],
})
export class DatabaseModule {}
