/**
 * A property that one module adds to requests, responses or connections. Its key is a symbol that only this module has.
 * A `WeakMap` takes about a microsecond for each entry, and each request needs several. Do not log or copy the owner:
 * `util.inspect` and copies contain the property.
 */
export class SymbolProperty<Owner extends object, Value> {
  private readonly key: symbol;

  /** @param name appears in heap dumps */
  constructor(name: string) {
    this.key = Symbol(name);
  }

  /** Returns undefined if the owner does not have the property. */
  get(owner: Owner): Value | undefined {
    return (owner as Record<symbol, Value>)[this.key];
  }

  set(owner: Owner, value: Value): void {
    (owner as Record<symbol, Value>)[this.key] = value;
  }
}
