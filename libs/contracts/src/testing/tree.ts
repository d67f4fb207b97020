import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Reverted } from './revert.ts'

export type Body = () => Promise<unknown>

/** By function; by condition for a leaf `it reverts (Name)`, by its own text for any other leaf. */
export type Bodies = Record<string, Record<string, Body>>

interface Node {
  text: string
  children: Node[]
}

const revert = /^it reverts \((.+)\)$/

/**
 * Makes one test of every leaf of a `.tree` file: the tree is the list of tests, the bodies only say how. A leaf
 * `it reverts (Name)` passes when its body is refused with that error. A leaf without body and a body without leaf both fail.
 * @param url Of the compiled test; the tree is in the folder of its source.
 */
export function testTree(url: string, bodies: Bodies): void {
  const file = url.replace('/dist/', '/src/').replace(/\.test\.js$/, '.tree')
  const left = new Map(Object.entries(bodies).map(([fn, leaves]) => [fn, { ...leaves }]))
  for (const root of parse(readFileSync(new URL(file), 'utf8'))) {
    const own = left.get(root.text) ?? {}
    describe(root.text, () => visit(root, own))
  }
  it('has a leaf in the tree for every test', () => {
    const unknown = [...left].flatMap(([fn, leaves]) => Object.keys(leaves).map(leaf => `${fn}: ${leaf}`))
    assert.deepEqual(unknown, [])
  })
}

function visit(node: Node, bodies: Record<string, Body>): void {
  for (const child of node.children) {
    if (child.children.length > 0) {
      describe(child.text, () => visit(child, bodies))
      continue
    }
    const reason = revert.exec(child.text)?.[1]
    const key = reason ? node.text : child.text
    const body = bodies[key]
    delete bodies[key]
    if (!body) it(child.text, () => assert.fail(`no test for: ${key}`))
    else it(child.text, reason ? () => refusal(body, reason) : async () => void (await body()))
  }
}

async function refusal(body: Body, reason: string): Promise<void> {
  await assert.rejects(body, (error: unknown) => {
    if (!(error instanceof Reverted)) throw error
    assert.equal(error.reason, reason)
    return true
  })
}

/** Roots have no indentation; each level is four characters deeper, `├── ` or `└── ` before its text. */
function parse(text: string): Node[] {
  const root: Node = { text: '', children: [] }
  const path: Node[] = [root]
  for (const line of text.split('\n').filter(l => l.trim() !== '')) {
    const mark = /^([│ ]*)[├└]── /.exec(line)
    const depth = mark ? (mark[1] ?? '').length / 4 + 1 : 0
    const node = { text: line.slice(mark?.[0].length ?? 0).trim(), children: [] }
    path.length = depth + 1
    path[depth]?.children.push(node)
    path.push(node)
  }
  return root.children
}
