import { SetMetadata } from '@nestjs/common';

export const PUBLIC = 'public';

/** Admits requests without a token to a handler. All other handlers require a token. */
export const Public = () => SetMetadata(PUBLIC, true);
