import { writeFileSync } from 'node:fs'
import { generatedSources } from './sources.ts'

const folder = new URL('../../src/generated/', import.meta.url)
for (const [name, text] of Object.entries(await generatedSources())) writeFileSync(new URL(name, folder), text)
