import { access, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const inflate = promisify(gunzip)

/** The file, or its `.gz` if only that exists; undefined if neither does. */
export async function findMaybeGzipped(path: string): Promise<string | undefined> {
  for (const candidate of [path, `${path}.gz`]) if (await exists(candidate)) return candidate
  return undefined
}

/** Contents of the file or of its `.gz`; undefined if neither exists. */
export async function readMaybeGzipped(path: string): Promise<Buffer | undefined> {
  const found = await findMaybeGzipped(path)
  if (!found) return undefined
  const bytes = await readFile(found)
  return found.endsWith('.gz') ? inflate(bytes) : bytes
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
