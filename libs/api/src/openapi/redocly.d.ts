/** The parts that are used here; its own types need a newer library of the language than ours. */
declare module '@redocly/openapi-core' {
  export interface Problem {
    ruleId: string
    severity: 'error' | 'warn'
    message: string
    location: { pointer?: string }[]
  }
  export class BaseResolver {}
  export function createConfig(config: { extends: string[]; rules: Record<string, string> }): Promise<object>
  export function makeDocumentFromString(text: string, address: string): object
  export function lintDocument(options: { document: object; config: object; externalRefResolver: BaseResolver }): Promise<Problem[]>
}
