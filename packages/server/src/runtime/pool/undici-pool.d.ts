// The part of undici that is imported: the whole of it is twice the memory, and takes the place of what node's own fetch uses.
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
