; Pieces of a batch, of which each thread takes the next until none is left; whether all that it took may be trusted.
define i64 @share(ptr %kernel, ptr %next, i64 %each, i64 %samples, ptr %table) {
entry:
  %last = sub i64 %samples, 1
  br label %take
take:
  %trusted = phi i64 [ 1, %entry ], [ %both, %run ]
  %first = atomicrmw add ptr %next, i64 %each monotonic
  %some = icmp slt i64 %first, %samples
  br i1 %some, label %run, label %done
run:
  %far = add i64 %first, %each
  %inside = icmp slt i64 %far, %samples
  %stop = select i1 %inside, i64 %far, i64 %samples
  %whole = call i64 %kernel(i64 %first, i64 %stop, i64 %last, ptr %table)
  %both = and i64 %trusted, %whole
  br label %take
done:
  ret i64 %trusted
}
