import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import type { Command } from 'commander';
import { readSettings, type Settings } from '../config/settings.js';
import { catalogueCommands } from './catalogue.commands.js';
import { customerCommands } from './customer.commands.js';
import { exportCommand, migrateCommand } from './data.commands.js';
import type { DESCRIPTIONS } from './descriptions.js';
import { documentsCommands } from './documents.commands.js';
import { importCommands } from './import.commands.js';
import { keyCommands } from './key.commands.js';
import type { Output, Print } from './output.js';
import { quotaCommands } from './quota.commands.js';
import { Session } from './session.js';

export { explain } from './explain.js';

type Define = (command: Command, session: Session, print: Print, output: Output) => void;

/** Functions that add arguments and an action to a command, or commands to a group. */
const DEFINITIONS: Record<keyof typeof DESCRIPTIONS, Define> = {
  migrate: migrateCommand,
  export: exportCommand,
  customer: customerCommands,
  quota: quotaCommands,
  documents: documentsCommands,
  catalogue: catalogueCommands,
  key: keyCommands,
  import: importCommands,
};

/** Adds arguments and an action to a command. @returns the session of the action, which the caller closes after it */
export function define(
  command: Command,
  print: Print,
  output: Output,
  settings: () => Settings = settingsOfProcess,
): Session {
  const session = new Session(settings);
  DEFINITIONS[command.name() as keyof typeof DESCRIPTIONS](command, session, print, output);
  return session;
}

/** The process does not log, because commands print their own messages. */
function settingsOfProcess(): Settings {
  Logger.overrideLogger(false);
  return readSettings(undefined, { signing: false });
}
