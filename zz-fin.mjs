import { parseAst } from 'rolldown/parseAst';
import fs from 'node:fs'; import {execSync} from 'node:child_process';
const write=process.argv.includes('--write');
const files=execSync("git ls-files src test",{encoding:'utf8'}).split('\n').filter(f=>/\.test\.ts$/.test(f)&&!/src\/controller\/deletion|test\/appliers|engine\/journal|introduced-routes/.test(f));
let n=0;const by={};
const calleeRoot=c=>{while(c){if(c.type==='Identifier')return c.name;c=c.type==='CallExpression'?c.callee:c.type==='MemberExpression'?c.object:c.type==='TaggedTemplateExpression'?c.tag:undefined;}};
for(const f of files){let t=fs.readFileSync(f,'utf8');if(!/finally \{/.test(t))continue;
 let edits;
 do{ edits=[]; const a=parseAst(t,{lang:'ts'});
 const walk=x=>{ if(!x||typeof x!=='object')return; if(Array.isArray(x)){x.forEach(walk);return}
  if(x.type==='CallExpression'&&['it','test','scenarioTest'].includes(calleeRoot(x.callee))){
   const fn=x.arguments.find(y=>/FunctionExpression/.test(y.type)&&y.body?.type==='BlockStatement'&&!y.generator&&x.arguments.indexOf(y)>0);
   const last=fn?.body.body.at(-1);
   if(calleeRoot(x.callee)!=='scenarioTest'&&last?.type==='TryStatement'&&!last.handler&&last.finalizer){ edits.push(last);}}
  for(const k in x) walk(x[k])};walk(a);
 if(!edits.length)break;
 const last=edits.at(-1); const F=last.finalizer.body; const src=z=>t.slice(z.start,z.end);
 let cleanup; const hasAwait=/\bawait\b/.test(src(last.finalizer));
 const inner=t.slice(last.finalizer.start+1,last.finalizer.end-1).trim();
 if(F.length===1&&F[0].type==='ExpressionStatement'&&!/\/\//.test(inner)){let e=F[0].expression; if(e.type==='AwaitExpression')e=e.argument; cleanup=`onTestFinished(() => ${e.type==='AssignmentExpression'?`{ ${src(e)}; }`:(e.type==='ChainExpression'||e.type==='CallExpression')?src(e):src(e)});`;}
 else cleanup=`onTestFinished(${hasAwait?'async ':''}() => {\n${inner}\n});`;
 const body=t.slice(last.block.start+1,last.block.end-1).replace(/^\n/,'');
 t=t.slice(0,last.start)+cleanup+'\n'+body+t.slice(last.end); n++; by[f]=(by[f]??0)+1;
 }while(true);
 if(by[f]){ if(!/\bonTestFinished\b[^;]*from 'vitest'/.test(t)) t=t.replace(/import \{([^}]*)\} from 'vitest';/,(m,names)=>`import {${names.trimEnd().replace(/,$/,'')}, onTestFinished } from 'vitest';`);
  if(write)fs.writeFileSync(f,t);}
}
console.log(n);for(const [f,c] of Object.entries(by))console.log(c,f);
