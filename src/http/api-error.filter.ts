import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, NotFoundException } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BusyError } from '../database/busy-error.js';
import { allowedMethods } from './allowed-methods.js';
import { ApiError, busy, methodNotAllowed, pathUnknown, unexpected } from './api-error.js';
import { abortConnection } from './abort.js';
import { requestIdOf } from './request-id.js';
import { TOKEN_PATH } from './token-path.js';
import { traceIdOf } from './trace-context.js';

/** Renders every error: an {@link ApiError} unchanged, any other error as 500 with its details only in the log. */
@Catch()
export class ApiErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ApiErrorFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const apiError = this.apiErrorFor(error, request);
    if (response.headersSent) return abortConnection(request.socket, 'error');
    response
      .status(apiError.status)
      .set(apiError.headers)
      .json(request.path === TOKEN_PATH ? tokenErrorBody(apiError) : apiError.body);
  }

  private apiErrorFor(error: unknown, request: Request): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof NotFoundException) return routeError(request);
    const { stack, message } = error instanceof Error ? error : new Error(String(error));
    const requestId = requestIdOf(request);
    this.logger.error(`Request ${requestId}: ${message}`, { requestId, traceId: traceIdOf(request) }, stack);
    return error instanceof BusyError ? busy() : unexpected();
  }
}

/** The error of a request without a matching route: 405 if another method would match, else 404. */
function routeError(request: Request): ApiError {
  const allowed = allowedMethods(request);
  return allowed.length ? methodNotAllowed(allowed.join(', ')) : pathUnknown();
}

/** Converts any error to the form of RFC 6749 §5.2, which all error responses of the token endpoint have. */
export function tokenErrorBody({ status, body }: ApiError): Readonly<Record<string, string>> {
  if (body.error_description || body.message) return body;
  return { error: status < 500 ? 'invalid_request' : 'server_error', error_description: body.error! };
}
