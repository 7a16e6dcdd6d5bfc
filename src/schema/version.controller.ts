import { Controller, Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Public } from '../auth/public.decorator.js';
import { setValidator } from '../http/validator.js';
import { API_PROFILE } from '../http/api-profile.js';

@Controller()
export class VersionController {
  /** Returns the same for all clients until the next release. Express sends 304 if the client has it. */
  @Public()
  @Get('api/version')
  version(@Res({ passthrough: true }) response: Response): { apiVersion: string } {
    const body = { apiVersion: API_PROFILE };
    setValidator(response, body);
    return body;
  }
}
