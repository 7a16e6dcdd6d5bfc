/** Random numbers that are the same for the same seed (mulberry32). */
export class SeededRandom {
  constructor(private seed: number) {}

  /** Returns a number of at least 0 and below 1. */
  next(): number {
    this.seed = (this.seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.seed ^ (this.seed >>> 15), 1 | this.seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  of<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)]!;
  }

  /** Returns each choice with this probability. */
  some<T>(choices: readonly T[], probability = 0.5): T[] {
    return choices.filter(() => this.chance(probability));
  }
}
