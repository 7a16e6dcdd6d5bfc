export type Input<T> = T;
