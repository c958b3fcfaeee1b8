/** The parts of a long run named on the command line, or all. Exits for an unknown name. */
export function chosen<Part>(parts: Readonly<Record<string, Part>>): Part[] {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(parts, name));
  if (unknown.length > 0) {
    console.error(`Unknown: ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}.`);
    process.exit(1);
  }
  return names.length > 0 ? names.map((name) => parts[name]!) : Object.values(parts);
}
