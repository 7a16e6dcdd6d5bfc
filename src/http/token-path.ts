/** The only path whose errors and caching follow RFC 6749. */
export const TOKEN_PATH = '/auth/token';
