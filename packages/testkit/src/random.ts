/**
 * Pseudo-random numbers in [0, 1), the same on every machine. Linear congruential generator of Numerical
 * Recipes.
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const keyed = list.map((value) => ({ value, key: random() }))
  return keyed.sort((a, b) => a.key - b.key).map(({ value }) => value)
}
