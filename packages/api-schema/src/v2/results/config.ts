import * as z from 'zod'
import { bytes, Cell, hash, object } from './parts.ts'

// Configuration and libraries.

/** One parameter of the configuration, or all of them as a dictionary. */
export const ConfigInfo = object('ConfigInfo', 'configInfo', { config: Cell })
/** Libraries that were found, each as a bag of cells in base64; others are missing. */
export const LibraryResult = object('LibraryResult', 'smc.libraryResult', {
  result: z.array(object('LibraryEntry', 'smc.libraryEntry', { hash, data: bytes })),
})
