import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth/public.decorator.js';
import { validatorOf } from '../http/validator.js';
import { API_PROFILE } from '../http/api-profile.js';

const VERSION = { apiVersion: API_PROFILE };
const VALIDATOR = validatorOf(VERSION);

@Controller()
export class VersionController {
  /** Returns the same for all clients until the next release. The response is a 304 if the client has it. */
  @Public()
  @Get('api/version')
  version(@Res({ passthrough: true }) response: Response): { apiVersion: string } {
    response.set(VALIDATOR);
    return VERSION;
  }
}
