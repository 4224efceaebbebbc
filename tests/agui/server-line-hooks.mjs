let wanted;

export function initialize(name) {
  wanted = name;
}

/** `lines.ts` has all of them side by side. */
export function resolve(specifier, context, next) {
  if (specifier !== "@ag-ui/client" || context.parentURL?.endsWith("/lines.ts")) return next(specifier, context);
  return next(wanted, { ...context, parentURL: import.meta.url });
}
