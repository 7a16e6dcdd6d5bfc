import { Logger } from '@nestjs/common';

// Commands run within the process of the test and must not log. A service that a test starts sets its own logger.
Logger.overrideLogger(false);
