import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const files = execFileSync('git', ['ls-files', '*.ts', '*.sol', '*.md'], { cwd: root, encoding: 'utf8' }).split('\n')
const names = new Set(files.map(file => path.basename(file)))
const decisions = files.filter(file => file.startsWith('docs/decisions/')).map(file => path.basename(file).slice(0, 3))

/** Documents that a text names and that the repository does not have. */
function missingIn(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8')
  const documents = [...text.matchAll(/(?<![\w.-])(?:[\w-]+\/)*([\w-]+\.md)\b/g)].filter(([, name]) => !names.has(name!)).map(([cited]) => cited)
  const numbers = [...text.matchAll(/docs\/decisions\/(\d{3})/g)].filter(([, number]) => !decisions.includes(number!)).map(([cited]) => cited)
  return [...documents, ...numbers].map(cited => `${file}: ${cited}`)
}

const example = /^```[\s\S]*?^```/gm

const comment = /^\s*(?:\/\/|\*|\/\*).*$|\s\/\/ .*$/gm
const quotedSource = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|sol))`/g

/** Source files that a comment quotes and that are not there. */
function missingInComments(file: string): string[] {
  const comments = [...readFileSync(path.join(root, file), 'utf8').matchAll(comment)].map(([text]) => text)
  const quoted = comments.flatMap(text => [...text.matchAll(quotedSource)].map(([, cited]) => cited!))
  return quoted.filter(cited => !files.some(one => one === cited || one.endsWith(`/${cited}`))).map(cited => `${file}: ${cited}`)
}

/** Source files that a document names outside its examples and that are not there. A README names those of its own folder, or by the whole path. */
function missingSourcesIn(file: string): string[] {
  const text = readFileSync(path.join(root, file), 'utf8').replace(example, '')
  const own = file.endsWith('/README.md') ? files.filter(one => one.startsWith(`${path.dirname(file)}/`)) : files
  const named = [...text.matchAll(/(?<![\w./-])(?:[\w.-]+\/)*[\w.-]+\.(?:ts|sol)\b/g)].map(([cited]) => cited)
  return named.filter(cited => !files.includes(cited) && !own.some(one => one.endsWith(`/${cited}`))).map(cited => `${file}: ${cited}`)
}

describe('documents that code and documents cite', () => {
  it('are in the repository', () => {
    const own = files.filter(file => file !== '' && file !== 'docs/spec.md' && !file.endsWith('.test.ts') && existsSync(path.join(root, file)))

    assert.deepEqual(own.flatMap(missingIn), [])
  })

  it('name source files that are in the repository', () => {
    const documents = files.filter(file => file.endsWith('.md') && file !== 'docs/spec.md')

    assert.deepEqual(documents.flatMap(missingSourcesIn), [])
  })

  it('and comments quote source files that are in the repository', () => {
    const sources = files.filter(file => /\.(ts|sol)$/.test(file) && existsSync(path.join(root, file)))

    assert.deepEqual(sources.flatMap(missingInComments), [])
  })
})
