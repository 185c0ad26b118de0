type Undefinable<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

type Defined<T> = { -readonly [K in Exclude<keyof T, Undefinable<T>>]: T[K] } & {
  -readonly [K in Undefinable<T>]?: Exclude<T[K], undefined>;
};

/** Leaves out undefined fields: an optional field is missing, never undefined. */
export function defined<const T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
