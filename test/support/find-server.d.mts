/** The path of a program; none: undefined. */
export function findProgram(name: string): string | undefined;
