/** Methods of a map that are needed here: a `WeakMap` also lets go of its keys. */
interface Kept<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value that the map keeps for the key, made where it has none. */
export function keptIn<K, V>(map: Kept<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

/** Sets the key, as the newest one. Of more than `most` keys the oldest is dropped. */
export function keepNewest<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next();
  if (map.size > most && oldest.done !== true) map.delete(oldest.value);
}

/** The same function, run once for each object that it is given. The object must never change; its value goes with it. */
export function oncePerObject<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>();
  return (object) => keptIn(known, object, () => make(object));
}
