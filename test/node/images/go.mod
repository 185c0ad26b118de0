// Programs of the images that the tests of a real node run: the sandbox of a pod, and an application whose behaviour a test sets. Without other modules.
module serin.test/images

go 1.26.0
