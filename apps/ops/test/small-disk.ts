import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Of util-linux. */
const UNSHARE = '/usr/bin/unshare'

/**
 * Runs a command (the arguments that follow) in a namespace of mounts of its own, in which `folder` is a
 * file system of this size, as `mount` takes it: nobody else's disk is filled. `then`: shell commands.
 */
export const inSmallDisk = (folder: string, size: string, then = 'exec "$@"'): readonly string[] => [
  ...[UNSHARE, '-m', 'sh', '-c', `mount -t tmpfs -o size=${size},mode=755 none ${folder} && ${then}`, 'sh'],
]

/** Root may, where containers allow it. */
export const mayMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'shardwalk-mount-'))
  const [program = '', ...rest] = [...inSmallDisk(folder, '1m'), 'true']
  const isMounted = spawnSync(program, rest, { stdio: 'ignore' }).status === 0
  rmdirSync(folder)
  if (!isMounted) console.warn('NO MOUNT: nothing is tried on a full disk (needs root and unshare)')
  return isMounted
})()
