import type { Request, Response } from 'express';
import { REVOKED, tokenInvalid } from '../http/api-error.js';
import { refusalBy, setQuotaHeaders, verdictOn } from '../quota/quota.middleware.js';
import { judge } from '../quota/verdict.js';

/** What happens to a request instead of, or in addition to, its handler. @throws the error of the response */
export type Outcome = (request: Request, response: Response) => void;

export const refuseAsRevoked: Outcome = () => {
  throw tokenInvalid(REVOKED);
};

/** The details are only in the log, as those of any unexpected error. */
export const failUnexpectedly: Outcome = () => {
  throw new Error('This customer of the sandbox always gets this error');
};

/** Judges the request as if the minute had no request left. */
export const exceedQuota: Outcome = (request, response) => {
  const [minute, ...others] = verdictOn(request).windows;
  const states = [{ ...minute!, hits: minute!.window.limit + 1 }, ...others];
  const windows = states.map(({ window }) => window);
  const verdict = judge(windows, { now: Date.now(), counts: states });
  setQuotaHeaders(response, verdict);
  throw refusalBy(verdict);
};
