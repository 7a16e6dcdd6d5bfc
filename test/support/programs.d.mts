export interface Program {
  name: string;
  project: string;
  package: string;
}

/** The programs of `npm run test:all` that are missing here. */
export function missingPrograms(env?: NodeJS.ProcessEnv): Program[];
