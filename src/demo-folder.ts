import { join } from 'node:path';

/** The folder of the import files of the demo. This file is in `src/` itself, because the bundle has no folders. */
export const DEMO_FOLDER = join(import.meta.dirname, '../demo');
