/** The part of the package that is used; it ships no types. */
declare module 'fs-native-extensions' {
  /** Takes the kernel's exclusive lock on an open file, or returns false when another open file holds it. */
  export function tryLock(fd: number): boolean
}
