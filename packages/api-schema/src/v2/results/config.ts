import * as z from 'zod'
import { bytes, Cell, hash, object } from './parts.ts'

// Configuration and libraries.

export const ConfigInfo = object('ConfigInfo', 'configInfo', { config: Cell })
export const LibraryResult = object('LibraryResult', 'smc.libraryResult', {
  result: z.array(object('LibraryEntry', 'smc.libraryEntry', { hash, data: bytes })),
})
