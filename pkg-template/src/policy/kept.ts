/** What stands under `key`, made when it is first wanted; of more than `most` the oldest goes. */
export function kept<V>(map: Map<string, V>, most: number, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  const oldest = map.size > most ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
  return made;
}
