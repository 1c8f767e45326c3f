import type { Json, JsonObject } from '@app/platform/http/openapi/schema';

type Components = Readonly<Record<string, JsonObject>>;

/** The components that `root` refers to, directly or through other components. */
export function usedComponents(components: Components, root: Json): Components {
  const used = new Set<string>();
  const open = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [pointer, kind, name] of namedIn(next)) {
      const component = components[kind]?.[name];
      if (component === undefined || used.has(pointer)) continue;
      used.add(pointer);
      open.push(component);
    }
  }
  const kept = Object.entries(components).map(([kind, members]) => [
    kind,
    Object.fromEntries(Object.entries(members).filter(([name]) => used.has(`${kind}/${name}`))),
  ]);
  return Object.fromEntries(kept) as Components;
}

function namedIn(value: Json): readonly (readonly [pointer: string, kind: string, name: string])[] {
  return [...JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)].map(
    ([, kind = '', name = '']) => [`${kind}/${name}`, kind, name] as const,
  );
}
