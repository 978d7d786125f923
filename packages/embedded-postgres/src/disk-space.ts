import { statfs } from 'node:fs/promises'

/** A segment of the write-ahead log has 16 MiB; a server that cannot make one ends. */
const LEAST_BYTES = 32 * 1024 * 1024
const NO_SPACE = /no space left on device|disk quota exceeded/i
/** SQLSTATE disk_full; ENOSPC and EDQUOT of the system. */
const CODES: readonly unknown[] = ['53100', 'ENOSPC', 'EDQUOT', 'disk_full']

/** True if an error, or what caused it, is a full disk: of the server or of this process. */
export const isDiskFull = (error: unknown): boolean => isCausedBy(error, CODES, NO_SPACE)

/**
 * True if an error, or what caused it, is a file system that is read-only, as Linux makes one after an error
 * of its disk.
 */
export const isReadOnly = (error: unknown): boolean => isCausedBy(error, ['EROFS'], /read-only file system/i)

/** True for a file system that takes no writes until an operator acts. */
export const takesNoWrites = (error: unknown): boolean => isDiskFull(error) || isReadOnly(error)

function isCausedBy(error: unknown, codes: readonly unknown[], text: RegExp): boolean {
  for (let one = error, depth = 0; one && depth < 5; one = (one as Error).cause, depth++) {
    if (codes.includes((one as { code?: unknown }).code)) return true
    if (one instanceof Error && text.test(one.message)) return true
  }
  return false
}

/** Whether the folder's file system has too little space for a server to run; false if that is unknown. */
export async function lacksSpace(folder: string): Promise<boolean> {
  const free = await freeBytes(folder)
  return free !== undefined && free < LEAST_BYTES
}

/** What the folder's file system has left for this process; undefined if that is unknown. */
export async function freeBytes(folder: string): Promise<number | undefined> {
  const info = await statfs(folder).catch(() => undefined)
  return info && info.bavail * info.bsize
}

/** How many more files there may be; undefined if that is unknown, or not limited. */
export async function freeFiles(folder: string): Promise<number | undefined> {
  const info = await statfs(folder).catch(() => undefined)
  return info && info.files > 0 ? info.ffree : undefined
}
