export interface Program {
  name: string;
  project: string;
  /** The Debian package. */
  package?: string;
  /** The command that installs the program, if it is not a Debian package. */
  command?: string;
}

/** Returns the programs of `npm run test:all` that are missing on this machine. */
export function missingPrograms(env?: NodeJS.ProcessEnv): Program[];

/** Returns the program of a MySQL or MariaDB server that tests may start, stop and break. Undefined: there is none. */
export function findServerProgram(env?: NodeJS.ProcessEnv): { program: string; mariadb: boolean } | undefined;

/** Returns the path of a program in PATH. Undefined: PATH does not contain it. */
export function findProgram(name: string, env?: NodeJS.ProcessEnv): string | undefined;
