import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BusyError } from '../database/busy-error.js';
import { allowedMethods } from './allowed-methods.js';
import { ApiError, busy, methodNotAllowed, pathUnknown, unexpected } from './api-error.js';
import { abortConnection } from './abort.js';
import { requestIdOf } from './request-id.js';
import { TOKEN_PATH } from './token-path.js';

/** Renders whatever went wrong: an {@link ApiError} as it is, anything else as 500 with its detail in the log only. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ApiErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const answer = this.responseTo(error, request);
    if (response.headersSent) return abortConnection(request.socket, 'error');
    response
      .status(answer.status)
      .set(answer.headers)
      .json(request.path === TOKEN_PATH ? tokenErrorBody(answer) : answer.body);
  }

  private responseTo(error: unknown, request: Request): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof NotFoundException) return unanswered(request);
    const { stack, message } = error instanceof Error ? error : new Error(String(error));
    const requestId = requestIdOf(request);
    this.logger.error(`Request ${requestId}: ${message}`, { requestId }, stack);
    return error instanceof BusyError ? busy() : unexpected();
  }
}

/** No route took the request: either none has its path, or none of those has its method. */
function unanswered(request: Request): ApiError {
  const allowed = allowedMethods(request);
  return allowed.length ? methodNotAllowed(allowed.join(', ')) : pathUnknown();
}

/** The token endpoint answers every error in the shape of RFC 6749 §5.2, those of the server around it too. */
export function tokenErrorBody({ status, body }: ApiError): Readonly<Record<string, string>> {
  if (body.error_description || body.message) return body;
  return { error: status < 500 ? 'invalid_request' : 'server_error', error_description: body.error! };
}
