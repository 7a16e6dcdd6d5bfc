import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { runCli } from './cli/program.js';

// Commands tell what they do themselves.
Logger.overrideLogger(false);

process.exitCode = await runCli(process.argv.slice(2), process);
