/** In rising order: emulated, in a signed shard block, committed by the masterchain. */
export const FINALITIES = ['pending', 'confirmed', 'finalized'] as const
export type Finality = (typeof FINALITIES)[number]

/** 0 for the lowest. */
export const rankOf = (finality: Finality): number => FINALITIES.indexOf(finality)

/** The lower of two. */
export const lower = (a: Finality, b: Finality): Finality => (rankOf(a) < rankOf(b) ? a : b)
