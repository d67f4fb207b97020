import path from 'node:path'
import { parseSync } from 'oxc-parser'

/** A text that readers of the code, of its output or of a document meet. */
export interface Spoken {
  kind: 'name' | 'file name' | 'test title' | 'log text' | 'output' | 'error text' | 'description' | 'value' | 'comment' | 'document'
  text: string
  /** From 1. */
  line: number
}

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

/** Quoted code: its names are checked where they are declared. */
const quotedCode = /`[^`\n]*`/g
/** A fence of a document, with its lines. */
const fencedCode = /^```[\s\S]*?^```/gm

/**
 * The lines of a document, without its code.
 * @example proseIn('Runs `npm start`.') // [{ kind: 'document', text: 'Runs .', line: 1 }]
 */
export function proseIn(markdown: string): Spoken[] {
  const prose = markdown.replace(fencedCode, code => code.replace(/[^\n]/g, '')).replace(quotedCode, '')
  return prose.split('\n').map((text, n) => ({ kind: 'document', text, line: n + 1 }))
}

/** The name of a file, without its ending. @example fileNameIn('libs/a/saved-row.test.ts') // { kind: 'file name', text: 'saved-row', line: 1 } */
export const fileNameIn = (file: string): Spoken => ({ kind: 'file name', text: path.posix.basename(file).replace(/\..*$/, ''), line: 1 })

/**
 * The names that a source file declares, the titles of its tests, its comments, and the texts that it logs, prints, throws or publishes as descriptions.
 * @throws Error when the file cannot be parsed
 */
export function spokenIn(file: string, source: string): Spoken[] {
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const found: Spoken[] = []
  const add = (kind: Spoken['kind'], text: string, { start }: Node) => found.push({ kind, text, line: source.slice(0, start).split('\n').length })
  walk(program as unknown as Node, node => {
    for (const name of declaredNames(node)) add('name', String(name.name), name)
    for (const { kind, text } of textsBy(node)) add(kind, text, node)
  })
  for (const comment of comments) add('comment', comment.value.replace(quotedCode, ''), comment as unknown as Node)
  return found
}

/** A comment, or a text in quotes, which may look like one. */
const cStyleComment = /"(?:[^"\\\n]|\\.)*"|(\/\/[^\n]*|\/\*[\s\S]*?\*\/)/g

/**
 * The comments of a Solidity file, whose names are those of contracts, which others see, or of a style sheet.
 * @example commentsIn('/// Pays `a`.') // [{ kind: 'comment', text: '/// Pays .', line: 1 }]
 */
export function commentsIn(source: string): Spoken[] {
  return [...source.matchAll(cStyleComment)].flatMap(({ 1: comment, index }) =>
    comment === undefined
      ? []
      : [{ kind: 'comment' as const, text: comment.replace(quotedCode, ''), line: source.slice(0, index).split('\n').length }],
  )
}

function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const child of Object.values(node)) for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) walk(one, visit)
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value

const namedByKey = new Set(['Property', 'PropertyDefinition', 'MethodDefinition', 'TSPropertySignature', 'TSMethodSignature'])
const namedById = new Set(['VariableDeclarator', 'FunctionDeclaration', 'ClassDeclaration', 'TSTypeAliasDeclaration', 'TSInterfaceDeclaration'])

/** Names that this node introduces; patterns introduce the identifiers at their leaves, not their keys. */
function declaredNames(node: Node): Node[] {
  const names: Node[] = []
  if (node.type === 'Property' && isNode(node.value) && isPattern(node.value)) return names
  if (namedById.has(node.type)) names.push(...bound(node.id))
  if (namedByKey.has(node.type) && node.computed !== true) names.push(...bound(node.key))
  // `import { Log as DroppedLog }` introduces the second name
  if (node.type === 'ImportSpecifier' && nameOf(node.imported) !== nameOf(node.local)) names.push(...bound(node.local))
  if (Array.isArray(node.params)) for (const param of node.params) names.push(...bound(param))
  if (node.type === 'CatchClause') names.push(...bound(node.param))
  return names
}

/** In an expression a property's value is never one of these, or is a name that its own declaration introduced. */
const isPattern = ({ type }: Node): boolean => ['AssignmentPattern', 'ObjectPattern', 'ArrayPattern'].includes(type)

const nameOf = (node: unknown): unknown => isNode(node) && node.name

function bound(pattern: unknown): Node[] {
  if (!isNode(pattern)) return []
  if (pattern.type === 'Identifier') return [pattern]
  if (pattern.type === 'ObjectPattern') return (pattern.properties as Node[]).flatMap(property => bound(property.value ?? property.argument))
  if (pattern.type === 'ArrayPattern') return (pattern.elements as unknown[]).flatMap(bound)
  return [...bound(pattern.left), ...bound(pattern.argument)]
}

const titled = new Set(['describe', 'it', 'before', 'after'])

const thrown = /(Error|Retry|Refusal|Refused)$/
/** Properties whose text readers of the interface, of an answer or of a drawing see. */
const describing = new Map<string, Spoken['kind']>([
  ['message', 'error text'],
  ['summary', 'description'],
  ['description', 'description'],
  ['when', 'description'],
  ['byTime', 'description'],
  ['rests', 'description'],
])

/** The texts that a call, a new error, a described property or the type of a value has. */
function textsBy(node: Node): Pick<Spoken, 'kind' | 'text'>[] {
  const kind = kindOf(node)
  if (kind === undefined) return []
  const parts = node.type === 'Property' ? [node.value] : node.type === 'TSLiteralType' ? [node.literal] : (node.arguments as unknown[])
  const text = (kind === 'test title' ? parts.slice(0, 1) : parts).map(textOf).join(' ')
  return text.trim() === '' ? [] : [{ kind, text }]
}

function kindOf(node: Node): Spoken['kind'] | undefined {
  if (node.type === 'TSLiteralType') return 'value'
  if (node.type === 'Property') return describing.get(String(nameOf(node.key)))
  if (node.type === 'NewExpression') return thrown.test(String(nameOf(node.callee))) ? 'error text' : undefined
  return node.type === 'CallExpression' && isNode(node.callee) ? kindOfCall(node.callee) : undefined
}

function kindOfCall(callee: Node): Spoken['kind'] | undefined {
  if (callee.type === 'Identifier' && titled.has(String(callee.name))) return 'test title'
  if (callee.type === 'Identifier' && callee.name === 'event') return 'description'
  if (callee.type !== 'MemberExpression') return undefined
  if (isNamed(callee.object, ['log'])) return 'log text'
  if (isNamed(callee.object, ['console']) || (isNamed(callee.object, ['stdout', 'stderr']) && nameOf(callee.property) === 'write')) return 'output'
  return undefined
}

/** `log` or `parts.log` for the name `log`. */
const isNamed = (node: unknown, names: readonly string[]): boolean =>
  isNode(node) && (names.includes(String(node.name)) || (isNode(node.property) && names.includes(String(node.property.name))))

function textOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'Literal') return String(node.value)
  if (node.type === 'TemplateLiteral') return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join(' ')
  if (node.type === 'ConditionalExpression') return `${textOf(node.consequent)} ${textOf(node.alternate)}`
  return ''
}
