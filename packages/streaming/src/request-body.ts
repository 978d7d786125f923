import { Refused } from './refusal.ts'

/** What a client sent, parsed. Members of another type are refused. */
export class RequestBody {
  private readonly members: Readonly<Record<string, unknown>>

  /** `about`: what a refusal begins with. */
  constructor(
    value: unknown,
    private readonly about: string,
  ) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.wrong('body must be a JSON object')
    this.members = value as Readonly<Record<string, unknown>>
  }

  wrong(problem: string): Refused {
    return new Refused(`${this.about}: ${problem}`)
  }

  /** Undefined: absent or null, here and below. */
  member(name: string): unknown {
    return this.members[name] ?? undefined
  }

  list(name: string): readonly string[] | undefined {
    const given = this.member(name)
    if (given !== undefined && !isListOfTexts(given)) throw this.wrong(`${name} must be a list of texts`)
    return given
  }

  text(name: string): string | undefined {
    const given = this.member(name)
    if (given !== undefined && typeof given !== 'string') throw this.wrong(`${name} must be a text`)
    return given
  }

  flag(name: string): boolean | undefined {
    const given = this.member(name)
    if (given !== undefined && typeof given !== 'boolean') throw this.wrong(`${name} must be true or false`)
    return given
  }
}

/** Whether a member of a body is a list of texts; an empty one is. */
export const isListOfTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
