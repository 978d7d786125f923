/** One row per address ever seen. Key: id, derived from the address (`deriveAccountId`). */
export interface AccountsTable {
  id: bigint
  workchain: number
  /** 32 bytes. */
  address: Buffer
}
