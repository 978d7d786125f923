import { readFile } from 'node:fs/promises'

/**
 * Datagrams to a UDP port of this machine that the kernel dropped because the socket's buffer was full, as
 * Linux counts them; undefined elsewhere. `table`: for tests.
 */
export async function kernelDrops(port: number, table = '/proc/net/udp'): Promise<number | undefined> {
  const text = await readFile(table, 'latin1').catch(() => '')
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const line of text.split('\n')) {
    const fields = line.trim().split(/\s+/)
    // Source: Linux, Documentation/networking/proc_net_tcp and net/ipv4/udp.c: the last column.
    if (fields[1]?.endsWith(suffix)) return Number(fields.at(-1))
  }
  return undefined
}
