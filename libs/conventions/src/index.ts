export { readGlossary } from './glossary.ts'
export { privateWordsIn } from './private-words.ts'
export { spokenIn } from './spoken.ts'
