// An editor that accepts everything and does nothing, for code that is loaded outside one.

export const stubEditor: object = new Proxy(function editor() {}, {
  get(_target, name) {
    if (name === Symbol.toPrimitive) return () => '';
    return name === 'then' || name === Symbol.iterator ? undefined : stubEditor;
  },
  apply: () => stubEditor,
  construct: () => stubEditor,
  set: () => true,
});
