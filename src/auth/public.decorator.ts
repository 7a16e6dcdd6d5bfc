import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Opens a handler to callers without a token; every other one is closed. */
export const Public = () => SetMetadata(PUBLIC, true);
