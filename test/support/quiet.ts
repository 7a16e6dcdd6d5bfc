import { Logger } from '@nestjs/common';

// Commands run within the test's process; only a service that a test starts has a log.
Logger.overrideLogger(false);
